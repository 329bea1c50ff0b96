package org.maple.ferry

import com.acme.load.Load
import scala.util.Random

/** The fares of a ferry line go up in steps with the length of the vehicle; every route has steps of its own. */
final class Ladder(thresholds: Vector[Int], baseCents: Int, stepCents: Int):
  def steps: Vector[Int] = thresholds.sorted // [call] [edit]
  // [new] val steps: Vector[Int] = thresholds.sorted

  def fare(centimetres: Int): Int =
    val ladder = steps
    var low = 0
    var high = ladder.length
    while low < high do
      val middle = (low + high) >>> 1
      if ladder(middle) <= centimetres then low = middle + 1 else high = middle
    baseCents + low * stepCents

enum Booking:
  case OneWay(route: Int, centimetres: Int, passengers: Int)
  case Return(out: Int, back: Int, centimetres: Int, passengers: Int)
  case Group(members: List[Booking])

/** The car deck: lanes of a fixed length, filled where the least room stays free. */
final class Deck(lanes: Int, laneCentimetres: Int):
  private val free = Array.fill(lanes)(laneCentimetres)

  def clear(): Unit = java.util.Arrays.fill(free, laneCentimetres)

  def park(centimetres: Int): Int =
    var best = -1
    var lane = 0
    while lane < free.length do
      val fits = free(lane) >= centimetres + 40
      if fits && (best < 0 || free(lane) < free(best)) then best = lane
      lane += 1
    if best >= 0 then free(best) -= centimetres + 40
    best

final class FareDesk(routes: Vector[Ladder], deck: Deck):
  private var turnedAway = 0

  private def leg(route: Int, centimetres: Int, passengers: Int): Long =
    if deck.park(centimetres) < 0 then turnedAway += 1
    routes(route).fare(centimetres) + passengers * 890L

  def price(booking: Booking): Long = booking match
    case Booking.OneWay(route, centimetres, passengers) => leg(route, centimetres, passengers)
    case Booking.Return(out, back, centimetres, passengers) =>
      (leg(out, centimetres, passengers) + leg(back, centimetres, passengers)) * 9 / 10
    case Booking.Group(members) => members.map(price).sum * 19 / 20

  def sailing(bookings: Vector[Booking]): Long =
    deck.clear()
    bookings.foldLeft(0L)((sum, booking) => sum + price(booking)) - turnedAway % 2

object FareDesk:
  private def invent(random: Random, depth: Int): Booking = random.nextInt(if depth > 0 then 3 else 2) match
    case 0 => Booking.OneWay(random.nextInt(6), 280 + random.nextInt(900), 1 + random.nextInt(5))
    case 1 => Booking.Return(random.nextInt(6), random.nextInt(6), 280 + random.nextInt(900), 1 + random.nextInt(5))
    case _ => Booking.Group(List.fill(2 + random.nextInt(4))(invent(random, depth - 1)))

  def main(args: Array[String]): Unit =
    Load.onThreads(2, "fares", () => {
      val random = new Random(4)
      val routes = Vector.tabulate(6)(route =>
        Ladder(random.shuffle((1 to 36).toVector.map(_ * (28 + route))), 1900 + route * 150, 120))
      val desk = new FareDesk(routes, new Deck(400, 9000))
      val bookings = Vector.fill(300)(invent(random, 1))
      () => Load.kept = desk.sailing(bookings)
    })

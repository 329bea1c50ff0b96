package com.quarryhall.licence

import com.acme.load.Load

import java.net.InetAddress
import scala.collection.mutable
import scala.util.Random

/** The door of an e-journal archive: who may read which publisher's articles, by the network of the reader. */
object Gatekeeper:
  enum Verdict:
    case Open(licence: String, target: String)
    case Closed(reason: String)

  /** A network of a subscribing library, such as 2001:db8:40::/44. */
  final class Network(val library: String, text: String):
    private val slash = text.indexOf('/')
    private val bits = text.substring(slash + 1).toInt
    private def start: Array[Byte] = InetAddress.getByName(text.substring(0, slash)).getAddress // [call] [edit]
    // [new] private val start: Array[Byte] = InetAddress.getByName(text.substring(0, slash)).getAddress

    def contains(reader: Array[Byte]): Boolean =
      val first = start
      first.length == reader.length && {
        var equal = 0
        while equal < bits && bit(first, equal) == bit(reader, equal) do equal += 1
        equal == bits
      }

    private def bit(address: Array[Byte], index: Int): Int =
      address(index >> 3) >> (7 - (index & 7)) & 1

  final case class Article(publisher: String, host: String, path: String, pages: Int)

  /** Readings per library and hour of the day, as publishers want them reported. */
  final class Usage:
    private val perLibrary = mutable.HashMap.empty[String, Array[Int]]
    def count(library: String, hour: Int, pages: Int): Unit =
      perLibrary.getOrElseUpdate(library, new Array[Int](24))(hour) += pages
    def total: Long = perLibrary.valuesIterator.map(_.sum.toLong).sum

  final class Door(licences: Map[String, Vector[Network]], articles: Vector[Article], random: Random):
    private val usage = Usage()
    private var turnedAway = 0

    /** www.old-press.example becomes www-old--press-example.door.example */
    private def doorHost(host: String): String =
      val name = new StringBuilder(host.length + 20)
      host.foreach {
        case '-' => name.append("--")
        case '.' => name.append('-')
        case other => name.append(other)
      }
      name.append(".door.example").toString

    private def ticket(reader: String, path: String): Long =
      var mixed = 0xcbf29ce484222325L
      for round <- 0 until 3 do
        var i = 0
        while i < reader.length do { mixed = (mixed ^ reader.charAt(i)) * 0x100000001b3L; i += 1 }
        i = 0
        while i < path.length do { mixed = (mixed ^ path.charAt(i)) * 0x100000001b3L; i += 1 }
      mixed

    def enter(reader: String, article: Article, hour: Int): Verdict =
      val address = InetAddress.getByName(reader).getAddress
      licences(article.publisher).find(_.contains(address)) match
        case Some(network) =>
          usage.count(network.library, hour, article.pages)
          val target = s"https://${doorHost(article.host)}${article.path}?ticket=${java.lang.Long.toHexString(ticket(reader, article.path))}"
          Verdict.Open(network.library, target)
        case None =>
          turnedAway += 1
          Verdict.Closed(article.publisher)

    private val readers = Vector.fill(700) {
      val library = random.nextInt(26)
      if library % 3 == 0 then s"10.$library.${random.nextInt(256)}.7"
      else s"2001:db8:${Integer.toHexString(library * 64)}:${Integer.toHexString(random.nextInt(4096))}::${Integer.toHexString(1 + random.nextInt(60000))}"
    }

    def hour(): Unit =
      var length = 0L
      for i <- 0 until 150 do
        enter(readers(random.nextInt(readers.size)), articles(random.nextInt(articles.size)), i % 24) match
          case Verdict.Open(_, target) => length += target.length + target.charAt(target.length - 1)
          case Verdict.Closed(reason) => length += reason.length
      Load.kept = java.lang.Long.valueOf(usage.total * 31 + turnedAway + length)

  private def network(library: Int): Network =
    if library % 3 == 0 then Network(s"library-$library", s"10.$library.0.0/16")
    else Network(s"library-$library", s"2001:db8:${Integer.toHexString(library * 64)}::/48")

  def main(args: Array[String]): Unit =
    val publishers = Vector("old-press", "moss-journals", "field-notes")
    Load.onThreads(2, "door", () => {
      val random = Random(451)
      val licences = publishers.map(name => name -> random.shuffle((0 until 24).toVector).take(14).map(network)).toMap
      val articles = Vector.tabulate(90) { i =>
        val publisher = publishers(i % 3)
        Article(publisher, s"www.$publisher.example", s"/volume/${i / 9}/article-${i * 37}/full-text.html", 4 + i % 17)
      }
      val door = Door(licences, articles, random)
      val unit: Load.Unit = () => door.hour()
      unit
    })
